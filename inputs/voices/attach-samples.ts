import type { SampleRules } from './check-samples.ts';
import type { UnpricedRow } from '../manifest-options.ts';
import type { ManifestProblem } from '../../contract/manifest-problems.ts';

/** Rows by what their local files are. */
interface RowsByFiles {
  /** Those whose files can be sent, with them, and those that have none. */
  readonly rows: readonly UnpricedRow[];
  /** Those whose files cannot be sent. */
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
  // What reads sound is loaded only where a row has some.
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
