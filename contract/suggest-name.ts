/** Edit distance of two short names (Levenshtein). */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(change, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/**
 * The candidate that a name is probably a typo of: at most two letters differ, and fewer than half of all, unless they
 * are only transposed. Undefined if there is none.
 */
export function suggestName(name: string, candidates: readonly string[]): string | undefined {
  const nearest = nearestName(name, candidates);
  if (nearest.distance > 2) return undefined;
  const isClose = nearest.distance * 2 < name.length || lettersOf(name) === lettersOf(nearest.name);
  return isClose ? nearest.name : undefined;
}

function lettersOf(name: string): string {
  return Array.from(name.toLowerCase()).sort().join('');
}

/** The candidate that looks most like the name, and how many letters differ. The first of equals wins. */
function nearestName(name: string, candidates: readonly string[]): { name: string; distance: number } {
  // A header may be as long as a cell; nothing that long is a slip of the finger.
  const lower = name.slice(0, 40).toLowerCase();
  let best = { name: candidates[0] ?? '', distance: Number.POSITIVE_INFINITY };
  for (const candidate of candidates) {
    const far = distance(lower, candidate.toLowerCase());
    if (far < best.distance) best = { name: candidate, distance: far };
  }
  return best;
}
