#!/bin/sh
# Runs lines.csv as the batch of this name. Prints what happened only if a person has to look, and that once.
name=$1

result=$(voxbatch run lines.csv --name "$name" --budget 500 --yes --json 2>> "$name.log")
code=$?
# For morning.sh.
echo "$code" > "$name.code"
# An internal error is told at once, though the next line of the crontab may do better.
[ "$code" -eq 1 ] || case $result in
  # The next line of the crontab runs the same command again. What comes then is news.
  *'"retry":"now"'* | *'"retry":"later"'*) rm -f "$name.told"; exit 0 ;;
esac
if [ "$code" -ne 0 ] && [ "$(cat "$name.told" 2> /dev/null)" != "$code" ]; then
  tail -n 50 "$name.log"
  echo "Exit code $code: see docs/guide/exit-codes.md"
  echo "$code" > "$name.told"
fi
exit "$code"
