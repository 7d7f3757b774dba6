import type { SampleRules } from './check-samples.ts';
import type { UnpricedRow } from '../manifest-options.ts';
import type { ManifestProblem } from '../../contract/manifest-problems.ts';

/** Rows, sorted by whether their local files can be sent. */
export interface RowsByFiles {
  /** Rows with sendable files attached, and rows without files. */
  readonly rows: readonly UnpricedRow[];
  /** Rows whose files cannot be sent. */
  readonly faulty: readonly UnpricedRow[];
  readonly problems: readonly ManifestProblem[];
}

/** Reads the recordings of rows that make voices, all at once. `column`: their header in the file. */
export async function attachSamples(
  rows: readonly UnpricedRow[],
  rules: SampleRules,
  column: string,
): Promise<RowsByFiles> {
  if (rows.every(({ spec }) => spec.samples === undefined)) return { rows, faulty: [], problems: [] };
  // Loads the audio code only if a row has samples.
  const { checkSamples } = await import('./check-samples.ts');
  const checked = await Promise.all(
    rows.map(async (row) => ({
      row,
      found: row.spec.samples === undefined ? undefined : await checkSamples(row.spec, rules),
    })),
  );
  const faulty: UnpricedRow[] = [];
  const problems: ManifestProblem[] = [];
  const whole = checked.flatMap(({ row, found }): UnpricedRow[] => {
    if (found === undefined) return [row];
    if ('samples' in found) return [{ ...row, spec: { ...row.spec, samples: found.samples } }];
    problems.push(...found.findings.map((one) => ({ line: row.line, id: row.id, column, ...one })));
    faulty.push(row);
    return [];
  });
  return { rows: whole, faulty, problems };
}
