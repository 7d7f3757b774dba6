import { readdirSync } from 'node:fs';
import { table } from './markdown.ts';
import { ROOMS } from './import-rules.ts';
import { pathOf } from './pages.ts';

/** Where each feature is: a folder of its name in every room that has a part of it. A folder in one room alone is no feature of the tree. */
export function featureTable(): string {
  const foldersOf = new Map(ROOMS.map((room) => [room, new Set(foldersIn(room))]));
  const features = [...new Set([...foldersOf.values()].flatMap((folders) => [...folders]))].toSorted();
  return table(
    ['feature', 'decisions', 'rooms'],
    features.flatMap((feature) => {
      const rooms = ROOMS.filter((room) => foldersOf.get(room)?.has(feature) === true);
      if (rooms.length < 2) return [];
      const [decisions, others] = [rooms.filter(isPolicy), rooms.filter((room) => !isPolicy(room))];
      return [[`\`${feature}/\``, named(decisions), named(others)]];
    }),
  );
}

function isPolicy(room: string): boolean {
  return room === 'policy';
}

function named(rooms: readonly string[]): string {
  return rooms.map((room) => `\`${room}/\``).join(', ') || '–';
}

function foldersIn(room: string): readonly string[] {
  return readdirSync(pathOf(room), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}
