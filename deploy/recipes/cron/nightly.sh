#!/bin/sh
# Runs lines.csv as the batch of this name. Prints what happened only if a person has to look.
name=$1

result=$(voxbatch run lines.csv --name "$name" --budget 500 --yes --json 2> "$name.log")
code=$?
case $result in
  # The next line of the crontab runs the same command again.
  *'"retry":"now"'* | *'"retry":"later"'*) exit 0 ;;
esac
if [ "$code" -ne 0 ]; then
  cat "$name.log"
  echo "Exit code $code: see docs/guide/exit-codes.md"
fi
exit "$code"
