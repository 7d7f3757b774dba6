/** Whether a person may be asked. */
export interface AskFlags {
  /** Ask nobody. It does not confirm. */
  readonly yes?: boolean;
}

/** Whether there is a person at a terminal to ask. */
export function mayAsk({ yes }: AskFlags): boolean {
  return yes !== true && process.stdin.isTTY && process.stderr.isTTY;
}
