/**
 * Prints what a query finds in a database, as JSON; arguments: file, query. A process of its own, because libsql keeps a database
 * open after `close` until its statements are collected as garbage, and an open file keeps a disk from being unmounted.
 */
import Database from 'libsql';

const [file, query] = process.argv.slice(2);
const database = new Database(file, { readonly: true, timeout: 10_000 });
process.stdout.write(JSON.stringify(database.prepare(query).all([])));
