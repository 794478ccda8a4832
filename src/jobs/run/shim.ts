/**
 * Stands between the service and the lab CLI, so that the exit status is known even when the service was away.
 *  - `trap :` keeps the shell alive through the signals of a cancel; unlike `trap ''` it leaves the child its defaults.
 *  - The shell's own words ("Killed") go to a file, not to the log, which holds what the lab CLI printed and nothing else.
 *    They tell a signal from an exit status over 128. The command stands in a subshell because dash would redirect
 *    itself for as long as a command with redirections runs.
 *  - Signals are ignored while the result is written: a late one would kill `mv`.
 *  - Words and result overwrite what is in their files already (`<>` does not truncate): a full disk does not lose them.
 *  - No variable is set before the command runs: one of that name in the environment would change for the lab CLI too.
 *  - The ticket is used up before the command starts, so that it starts once at most, and never after a service has taken
 *    the ticket away (`preventStart`). Renaming needs no room on a full disk. `command -p` finds `mv` whatever PATH is.
 * `$1` is the job's directory, `$2` the ticket, the rest is the command. Nothing is ever pasted into this text.
 */
export const shim = `trap : INT TERM HUP QUIT
exec 3>&2 2<>"$1/shim.err"
command -p mv -f "$2" "$1/exit.json.tmp" || exit 125
(shift 2; exec "$@" 2>&3 3>&-)
status=$?
trap '' INT TERM HUP QUIT
signaled=false
read -r words <"$1/shim.err"
[ -n "$words" ] && signaled=true
printf '{"exitCode":%d,"signaled":%s}' "$status" "$signaled" 1<>"$1/exit.json.tmp" && mv -f "$1/exit.json.tmp" "$1/exit.json"
exit "$status"`;
