# What the programs of this directory have in common; they read it with "own" set to the directory.

# Sets "next" to the next program of that name on PATH; fails if there is none. One that stands before us may do the same.
findNext() {
  rest=${PATH#*"$own:"}:
  while [ -n "$rest" ]; do
    place=${rest%%:*}
    rest=${rest#*:}
    next=$place/$1
    if [ "$place" != "$own" ] && [ -f "$next" ] && [ -x "$next" ]; then return 0; fi
  done
  return 1
}

# For an ordinary user: sets "holder" to the process whose namespaces the labs are in (src/engine/namespaces/holder.ts),
# and "held" to the root directory that it sees. Both stay empty for root, and inside.
findHeld() {
  held='' holder=''
  read -r identity 2>/dev/null <"${LAB_HOME:-${HOME-}/.lab}/holder.json" || return 0
  [ "$(id -u)" != 0 ] || return 0
  holder=${identity#*\"pid\":}
  holder=${holder%%[!0-9]*}
  held=/proc/$holder/root
  [ -d "$held/run/netns" ] || held='' holder=''
}
