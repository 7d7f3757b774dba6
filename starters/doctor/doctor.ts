import { examine } from '../../client/doctor/doctor.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { openSession } from '../connect/open-api.ts';
import { readSettings } from '../connect/settings.ts';
import type { Output } from '../terminal/output.ts';
import { exitOfFinding, nameOfFinding, wordsOfFinding } from './doctor-words.ts';

/** What is wrong with one part keeps others from being checked, and may take several lines. */
const SAME_REASON = 'not checked, for the same reason';

/** `voxbatch doctor`: checks what a run needs, one after the other, and says what to do. Spends nothing. */
export async function doctor(
  flags: { readonly apiUrl?: string; readonly json?: boolean },
  output: Output,
): Promise<ExitName> {
  const settings = await readSettings();
  const session = openSession(settings, flags, { mustExist: true });
  const findings: { readonly check: string; readonly ok: boolean; readonly says: string }[] = [];
  let exit: ExitName | undefined;
  try {
    for await (const finding of examine(session, output.say)) {
      const [check, says] = [nameOfFinding(finding), wordsOfFinding(finding, settings)];
      const isTold = findings.some((one) => !one.ok && one.says === says);
      findings.push({ check, ok: finding.ok, says });
      // The first fault decides.
      if (!finding.ok) exit ??= exitOfFinding(finding);
      if (flags.json !== true)
        output.data(
          `${finding.ok ? 'ok  ' : 'BAD '} ${check.padEnd(22)} ${isTold && !finding.ok ? SAME_REASON : says}`,
        );
    }
  } finally {
    await session.close();
  }
  if (flags.json === true) output.data(JSON.stringify(findings));
  return exit ?? 'complete';
}
