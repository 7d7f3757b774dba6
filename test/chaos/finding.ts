/** A promise and whether it was kept. */
export interface Finding {
  readonly promise: string;
  /** What speaks against it; empty: it was kept. */
  readonly broken: readonly string[];
  /** Figures to print beside it. */
  readonly seen?: string;
}

/** Findings as lines: a few examples of what broke each. */
export function tellFindings(findings: readonly Finding[]): string[] {
  return findings.flatMap(({ promise, broken, seen }) => [
    `${broken.length === 0 ? 'kept  ' : 'BROKEN'}  ${promise}${seen === undefined ? '' : ` (${seen})`}`,
    ...broken.slice(0, 10).map((line) => `          ${line}`),
    ...(broken.length > 10 ? [`          … and ${broken.length - 10} more`] : []),
  ]);
}
