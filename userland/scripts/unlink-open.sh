echo kept > f; exec 3< f; rm f; ls | wc -l; cat <&3; exec 3<&-
exec 4> g; rm g; echo lost >&4; exec 4>&-; ls | wc -l
(cat > h; cat h) <<END
through
END
