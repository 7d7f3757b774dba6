import { watchSchema } from '../../client/schema/watch-schema.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Output } from '../terminal/output.ts';
import { confirmedAccess } from '../connect/open-api.ts';
import { readSettings } from '../connect/settings.ts';
import { schemaLines } from './schema-words.ts';

/** Flags of `doctor --api`. */
export interface SchemaFlags {
  readonly apiUrl?: string;
  readonly json?: boolean;
  /** End with an error where something is missing or has changed. */
  readonly strictSchema?: boolean;
}

/** `voxbatch doctor --api`: what the API's own description of itself has for voxbatch, and what changed in it. Spends nothing. */
export async function doctorSchema(flags: SchemaFlags, output: Output): Promise<ExitName> {
  const settings = await readSettings();
  const isStrict = flags.strictSchema === true;
  const report = await watchSchema(settings, await confirmedAccess(settings, flags), { isStrict });
  if (flags.json === true) output.data(JSON.stringify(report));
  else for (const line of schemaLines(report, isStrict)) output.data(line);
  return isStrict && !report.isSound ? 'mismatch' : 'complete';
}
