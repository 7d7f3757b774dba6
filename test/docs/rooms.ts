import { mermaid, table } from './markdown.ts';
import { permissionOf, ROOMS } from './import-rules.ts';

/** The rooms as a picture. An arrow is left out where a longer way shows it already. */
export function roomsPicture(): string {
  const arrows = ROOMS.flatMap((room) =>
    others(room)
      .filter((other) => permissionOf(room, other) === 'all' && !isLinkToCell(room, other))
      .map((other) => `  ${room} --> ${other}`),
  );
  return mermaid(['flowchart TD', ...ROOMS.map((room) => `  ${room}["${room}/"]`), ...arrows]);
}

/** Every import that is allowed, exactly. */
export function importTable(): string {
  const named = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ') || '–';
  return table(
    ['room', 'may import', 'types only'],
    ROOMS.map((room) => [
      `\`${room}/\``,
      named(
        others(room).flatMap((other) => {
          const permission = permissionOf(room, other);
          if (permission === undefined || permission === 'types') return [];
          return permission === 'all' ? `${other}/` : permission.files.map((file) => `${other}/${file}.ts`);
        }),
      ),
      named(
        others(room)
          .filter((other) => permissionOf(room, other) === 'types')
          .map((other) => `${other}/`),
      ),
    ]),
  );
}

function others(room: string): readonly string[] {
  return ROOMS.filter((other) => other !== room);
}

/** True if one room leads to another by way of a third. */
function isLinkToCell(room: string, target: string): boolean {
  return others(room).some(
    (between) =>
      between !== target &&
      permissionOf(room, between) === 'all' &&
      (permissionOf(between, target) === 'all' || isLinkToCell(between, target)),
  );
}
