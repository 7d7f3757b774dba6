import { InvalidArgumentError, Option } from 'commander';
import type { ApiFields } from '../../client/single/single-job-of.ts';
import { valueOfApiCell } from '../../contract/api-cells.ts';

/** `--api FIELD=VALUE`, of every command that asks for a single job. */
export function apiFieldOption(): Option {
  const words = 'A further field for the API, as in an api.<field> column; repeatable';
  return new Option('--api <field=value>', words).argParser(readField);
}

/** `mood=calm` as the field of an `api.mood` column. */
function readField(given: string, before: ApiFields = {}): ApiFields {
  const [, field = '', value = ''] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
  if (field.trim() === '' || value === '') throw new InvalidArgumentError('expected FIELD=VALUE, as in mood=calm.');
  return { ...before, [field.trim()]: valueOfApiCell(value) };
}
