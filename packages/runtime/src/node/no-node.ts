/**
 * The owner of work that was started by a process with `drive: false`. No node has this name, so another process takes the
 * work over. Without a name, the last owner would stay the owner, and a process does not look for work in logs that it owns.
 */
export const NO_NODE = 'none'
