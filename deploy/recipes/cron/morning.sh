#!/bin/sh
# Prints what became of the batch of this name, unless it is complete, or a person was told of its end already. It may never have begun.
name=$1

status=$(voxbatch status "$name" 2>&1)
code=$?
if [ "$code" -eq 0 ] || [ -e "$name.told" ]; then exit "$code"; fi
echo "$status"
tail -n 50 "$name.log"
# What the last command of the night ended with says more than the status, which knows no batch where none could begin.
code=$(cat "$name.code" 2> /dev/null || echo "$code")
echo "Batch $name is not complete. Exit code $code: see docs/guide/exit-codes.md"
exit "$code"
