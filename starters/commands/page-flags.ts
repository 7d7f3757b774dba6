import { reading, type Flag } from './flag-values.ts';

const MOST = 65_535;

/** Where the page listens. */
export const PAGE_PORT: Flag = [
  '--port <port>',
  'Where it listens on this machine (default: any free port)',
  reading(
    (text) => (/^\d{1,5}$/.test(text) && Number(text) <= MOST ? Number(text) : undefined),
    'a port, such as 8085',
  ),
];

/** A page beside what a command does. */
export const PAGE = {
  page: ['--page', 'Also show batches in a browser while it runs, as voxbatch page does; prints the address'],
} as const satisfies Readonly<Record<string, Flag>>;
