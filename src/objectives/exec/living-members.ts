import { readdirSync, readFileSync } from 'node:fs'

/**
 * Whether a process group has a member that lives. Where there is no /proc the answer is yes. The dead that nobody has
 * taken notice of do not count: in a container their new parent may never do so.
 */
export function hasLivingMembers(group: number): boolean {
  try {
    return readdirSync('/proc').some((name) => /^\d+$/.test(name) && lives(name, group))
  } catch {
    return true
  }
}

function lives(pid: string, group: number): boolean {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold anything; state, parent and group follow it.
    const [state, , itsGroup] = line.slice(line.lastIndexOf(')') + 2).split(' ')
    return Number(itsGroup) === group && state !== 'Z' && state !== 'X'
  } catch {
    return false
  }
}
