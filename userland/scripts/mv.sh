echo 1 > a; echo 2 > b; mkdir d
mv a c; ls; mv c b; cat b; mv b d; ls d; mv d/b d/e; cat d/e
mkdir x x/y; mv x d; ls d; mv d/x d/x/y 2>/dev/null || echo into itself
touch f; mv f d/e; cat d/e; mv nosuch z 2>/dev/null || echo missing
mkdir p q; touch p/1; mv p q; ls q/p; mkdir r; mv r q/p 2>/dev/null; ls q/p | sort
