# What: a benchmark of two commands, with its results as JSON
# Package: hyperfine
# Expect: [3, 3]
hyperfine -w 1 -r 3 --style none --export-json out.json true 'sleep 0.01' > /dev/null; echo $?
python3 -c 'import json; r = json.load(open("out.json"))["results"]; print([len(x["times"]) for x in r], [x["mean"] > 0 for x in r])'
rm -f out.json
