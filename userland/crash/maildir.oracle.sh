# Each delivered message is there, and each in `new` is whole.
cd /root || exit 1
while read -r word number; do
    if [ "$word" = ack ] && [ ! -e "mail/new/$number" ]; then
        echo "message $number was acknowledged and is lost"
        exit 1
    fi
done
[ -d mail/new ] || exit 0
for message in mail/new/*; do
    [ -e "$message" ] || continue
    number=${message##*/}
    seq "$number" $((number + 400)) | cmp -s - "$message" || { echo "message $number is not whole"; exit 1; }
done
exit 0
