DROP INDEX `erasures_project`;--> statement-breakpoint
ALTER TABLE `erasures` ADD `linked_until` integer;--> statement-breakpoint
ALTER TABLE `erasures` ADD `completes` integer;--> statement-breakpoint
CREATE INDEX `erasures_linked` ON `erasures` (`linked_until`) WHERE linked_until is not null;--> statement-breakpoint
CREATE INDEX `erasures_project` ON `erasures` (`project_id`);--> statement-breakpoint
-- Deletions made before can be completed for 30 days from now on.
UPDATE `erasures` SET `linked_until` = (unixepoch() + 30 * 86400) * 1000 WHERE NOT (`delete_events` AND `delete_recordings`);
--> statement-breakpoint
-- Kept events get another actor when their link to the erased person is removed.
CREATE TRIGGER `erased_identities_update` AFTER UPDATE OF `person_id` ON `erased_identities` WHEN old.`person_id` IS NOT new.`person_id`
BEGIN
  INSERT OR IGNORE INTO `moved_identities` (`project_id`, `key`)
  SELECT `project_id`, new.`key` FROM `actor_chunks` WHERE `project_id` = new.`project_id` AND `chunk` = new.`key` >> 12;
END;
