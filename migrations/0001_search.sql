-- Substring search over `persons.search`. It is lower-case already, so the index keeps case; 'secure-delete' makes a
-- removed person's trigrams leave the shadow tables at once instead of at the next merge. The project is the upper half
-- of the rowid, so that a search steps through its own project's matches only.
CREATE VIRTUAL TABLE `persons_search` USING fts5(`search`, tokenize = 'trigram case_sensitive 1');
--> statement-breakpoint
INSERT INTO `persons_search`(`persons_search`, `rank`) VALUES ('secure-delete', 1);
--> statement-breakpoint
CREATE TRIGGER `persons_search_insert` AFTER INSERT ON `persons` WHEN new.`search` <> ''
BEGIN
  INSERT INTO `persons_search`(`rowid`, `search`) VALUES (new.`project_id` << 32 | new.`id`, new.`search`);
END;
--> statement-breakpoint
CREATE TRIGGER `persons_search_update` AFTER UPDATE OF `search` ON `persons` WHEN old.`search` <> new.`search`
BEGIN
  DELETE FROM `persons_search` WHERE `rowid` = old.`project_id` << 32 | old.`id` AND old.`search` <> '';
  INSERT INTO `persons_search`(`rowid`, `search`) SELECT new.`project_id` << 32 | new.`id`, new.`search` WHERE new.`search` <> '';
END;
--> statement-breakpoint
CREATE TRIGGER `persons_search_delete` AFTER DELETE ON `persons` WHEN old.`search` <> ''
BEGIN
  DELETE FROM `persons_search` WHERE `rowid` = old.`project_id` << 32 | old.`id`;
END;
