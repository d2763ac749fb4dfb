#!/bin/sh
# A black box for zeroth: reads points as lines of JSON, writes a value for each. Needs nothing but sh and awk.
# Try it: echo '{"id":1,"x":[1.5,2.0]}' | sh objective.sh

# Put your own function here: Rosenbrock's valley, 0 at (1, ..., 1). The coordinates are its arguments.
objective() {
  echo "$*" | LC_ALL=C awk '
    NF < 2 { print "the point needs at least 2 coordinates" > "/dev/stderr"; exit 1 }
    {
      for (i = 1; i < NF; i++) {
        rise = $(i + 1) - $i * $i
        rest = 1 - $i
        total += 100 * rise * rise + rest * rest
      }
      printf "%.17g\n", total
    }'
}

while IFS= read -r line; do
  id=${line#*'"id":'}
  id=${id%%[,\}]*}
  x=${line#*'"x":['}
  x=$(echo "${x%%]*}" | tr ',' ' ')
  # Unquoted, so that the shell cuts it into arguments.
  if value=$(objective $x 2>&1); then
    echo "{\"id\":$id,\"value\":$value}"
  else
    echo "{\"id\":$id,\"error\":\"$value\"}"
  fi
done
