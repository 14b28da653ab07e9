env -i A=1 B=2 sh -c 'echo $A$B${C:-none}'
X=exported sh -c 'echo $X'; export Y=5; sh -c 'echo $Y'; unset Y; sh -c 'echo [$Y]'
env -i PATH=$PATH env | grep -c PATH
readonly R=1; (R=2) 2>/dev/null || echo readonly
