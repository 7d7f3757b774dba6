import { VoxbatchError } from './problem.ts';

/** Refuses the value of an option. Throws {@link VoxbatchError} (`bad-option`). */
export function refuseOption(option: string, expected: string, came: unknown): never {
  const shown = typeof came === 'string' ? JSON.stringify(came) : String(came);
  throw new VoxbatchError({ type: 'bad-option', option, expected, came: shown.slice(0, 80) });
}
