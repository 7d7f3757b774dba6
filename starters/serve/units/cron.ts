import { shellWord } from '../../../contract/shell-word.ts';
import type { Service } from './service.ts';

/** Lines longer than this are cut or refused by common crons, characters. */
export const LONGEST_CRON_LINE = 998;

/**
 * Two lines for a crontab: cron starts `up` after a boot, and looks every 5 minutes whether it still runs. If it does,
 * the second one ends at once and says nothing.
 */
export function cronLines(service: Service): string {
  const { name, voxbatch, workingDirectory, environment, environmentFile, needsFile, log } = service;
  const file = shellWord(environmentFile);
  const read = needsFile ? `. ${file}` : `{ [ ! -r ${file} ] || . ${file}; }`;
  const settings = Object.entries(environment).map(([variable, value]) => `${variable}=${value}`);
  const words = ['env', ...settings, ...voxbatch, 'up', '--unless-running'].map(shellWord).join(' ');
  const start = `cd ${shellWord(workingDirectory)} && set -a && ${read} && exec ${words} >> ${shellWord(log)} 2>&1`;
  // cron takes a bare `%` for the end of the line.
  const command = start.replaceAll('%', String.raw`\%`);
  return [`# ${name}`, `@reboot ${command}`, `*/5 * * * * ${command}`, ''].join('\n');
}
