import { ExitError } from '../exit-error.ts';
import { confirmablesIn } from './confirmables.ts';

const WHY = 'You have not confirmed on this machine what may have come with this folder.';

/**
 * The refusal of a command that needs what nobody has confirmed. It lists all that `voxbatch trust` would confirm here,
 * not only what this command needs: who reads it decides about all of it.
 */
export async function unconfirmedError(env: NodeJS.ProcessEnv, why = WHY): Promise<ExitError> {
  const found = (await confirmablesIn('.', env)).filter(({ isConfirmed }) => !isConfirmed);
  const flaws = found.flatMap(({ flaw }) => flaw ?? []);
  const advice = [
    'If all of it is right, run: voxbatch trust',
    '(--yes does not confirm it.) Nothing was sent. Nothing was spent.',
    `If it is yours, and your home does not last, as in a container: export ${found.map(({ byName }) => byName).join(' ')}`,
  ];
  const lines = [
    why,
    ...(flaws.length > 0 ? ['This was found:'] : ['This would be confirmed:']),
    ...found.flatMap(({ lines: shown }) => shown),
    ...(flaws.length > 0 ? [...flaws, 'Nothing was sent. Nothing was spent.'] : advice),
  ];
  return new ExitError('usage', lines.join('\n'), { next: 'voxbatch trust' });
}
