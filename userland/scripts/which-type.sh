basename "$(which sh)"; type cd > /dev/null && echo builtin; command -v ls; which nosuch; echo $?
alias hi='echo alias'; alias hi; unalias hi; hash -r
