import { printAnswer, type RunContext } from '../terminal/output.ts';
import { viewSchema, watchSchema, type SchemaReport } from '../../client/schema/watch-schema.ts';
import type { Flags } from '../commands/flags.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { confirmedAccess } from '../connect/connect-api.ts';
import { readSettings } from '../connect/settings.ts';

/**
 * `voxbatch doctor --api`: compares the API's OpenAPI schema with what voxbatch needs, and with the schema of the last
 * time. Spends nothing.
 */
export async function doctorSchema(flags: Flags, { output }: RunContext): Promise<ExitName> {
  const settings = await readSettings();
  const isStrict = flags.strictSchema === true;
  const report = await watchSchema(settings, await confirmedAccess(settings, flags), { isStrict });
  printAnswer(output, flags, viewSchema(report), () => schemaLines(report, isStrict));
  return isStrict && !report.isSound ? 'mismatch' : 'complete';
}

type SchemaGap = SchemaReport['lacks'][number];

/** Returns the report as lines. */
function schemaLines(report: SchemaReport, isStrict: boolean): readonly string[] {
  const { apiUrl, form, title, version, lacks, unused, changes } = report;
  const name = [title, version].filter((part) => part !== undefined).join(' ');
  const needed = lacks.filter(({ isRare }) => !isRare);
  return [
    `${apiUrl}: OpenAPI ${form}${name === '' ? '' : `, ${name}`}`,
    ...section('lacks what voxbatch needs', needed.map(lackWords)),
    ...section(
      'lacks what is needed only where it is asked for by name',
      lacks.filter(({ isRare }) => isRare).map(lackWords),
    ),
    ...changeLines(changes),
    ...section('has besides, and voxbatch does not use', unused),
    needed.length === 0
      ? 'It has all that voxbatch needs.'
      : 'Requests to what is missing may fail; see what they answer with a sample (--sample 1) first.',
    ...(isStrict && !report.isSound ? ['Not kept as seen. To accept it: voxbatch doctor --api'] : []),
    'Nothing was spent.',
  ];
}

function changeLines(changes: SchemaReport['changes']): readonly string[] {
  if (changes === null) return ['  first look: nothing to compare with'];
  const { added, removed, changed, since } = changes;
  const lines = [
    ...section('new', added),
    ...section('gone', removed),
    ...section(
      'changed',
      changed.map(({ endpoint, parts }) => `${endpoint}: ${parts.join(', ')}`),
    ),
  ];
  const then = new Date(since).toISOString().slice(0, 16).replace('T', ' ');
  return lines.length === 0
    ? [`  unchanged since the last look (${then} UTC)`]
    : [`  since the last look (${then} UTC):`, ...lines];
}

/** Returns a heading and its indented lines; nothing without lines. */
function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`  ${title}:`, ...lines.map((line) => `    ${line}`)];
}

function lackWords(lack: SchemaGap): string {
  switch (lack.type) {
    case 'endpoint':
      return lack.endpoint;
    case 'field':
      return `${lack.endpoint}: the field "${lack.field}", which voxbatch sends`;
    case 'required':
      return `${lack.endpoint}: it requires "${lack.field}", which voxbatch does not send`;
  }
}
