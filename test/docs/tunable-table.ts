import { POLLING } from '../../contract/polling-settings.ts';
import { LIMIT_NAMES, POLICY_NAMES, TUNABLES, type Tunable, type TunableName } from '../../contract/tunables.ts';
import { formatValue, rangeOf } from '../../contract/value-kinds.ts';
import { flagOf } from '../../starters/terminal/tunable-words.ts';
import { table } from './markdown.ts';

export const TUNABLE_COLUMNS = ['key', 'flag', 'meaning', 'takes', 'default'] as const;

/** Everything that may be changed while a batch runs, as keys of the config file. */
export function tunableTable(): string {
  const names = [...POLICY_NAMES, ...LIMIT_NAMES];
  return table(
    TUNABLE_COLUMNS,
    names.map((name) => {
      const { meaning, takes, default: usual, defaultMeans }: Tunable = TUNABLES[name];
      const means = defaultMeans === undefined ? '' : `, ${defaultMeans}`;
      return [
        `\`${configKeyOf(name)}\``,
        `\`${flagOf(name)}\``,
        meaning,
        rangeOf(takes),
        `\`${formatValue(usual)}\`${means}`,
      ];
    }),
  );
}

/** How jobs are watched, as keys of the config file. */
export function pollingTable(): string {
  const rows = Object.entries(POLLING).map(([name, { meaning, takes, default: usual }]) => [
    `\`polling.${name}\``,
    meaning,
    rangeOf(takes),
    `\`${formatValue(usual)}\``,
  ]);
  return table(['key', 'meaning', 'takes', 'default'], rows);
}

/** Where a tunable stands in the config file: `budget`, `limits.rate`. */
export function configKeyOf(name: TunableName): string {
  return TUNABLES[name].isLimit ? `limits.${name}` : name;
}
