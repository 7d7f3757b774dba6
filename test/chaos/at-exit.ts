const wills = new Set<() => void>();

process.on('exit', () => {
  for (const will of wills) will();
});
// Without a listener a signal would end this process without its `exit`.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.exit(130));
}

/** Has something done when this process ends in any way but SIGKILL, so that an interrupted run leaves no process behind. */
export function atExit(will: () => void): void {
  wills.add(will);
}
