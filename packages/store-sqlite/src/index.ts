export { sqliteStore, type SqliteStoreOptions } from './sqlite-store.ts'
export { backupSqlite, restoreSqlite, type CopiedFile } from './backup-sqlite.ts'
