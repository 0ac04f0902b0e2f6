CREATE TABLE `actor_chunks` (
	`project_id` integer NOT NULL,
	`chunk` integer NOT NULL,
	`build` text NOT NULL,
	`data` text NOT NULL,
	PRIMARY KEY(`project_id`, `chunk`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `late_events` (
	`segment_id` integer NOT NULL,
	`timestamp` integer NOT NULL,
	`uuid` blob NOT NULL,
	PRIMARY KEY(`segment_id`, `timestamp`, `uuid`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `moved_identities` (
	`project_id` integer NOT NULL,
	`key` integer NOT NULL,
	PRIMARY KEY(`project_id`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `segment_columns` (
	`segment_id` integer NOT NULL,
	`name` text NOT NULL,
	`data` text NOT NULL,
	PRIMARY KEY(`segment_id`, `name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `segments` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`event_id` integer NOT NULL,
	`since` integer NOT NULL,
	`until` integer NOT NULL,
	`is_sealed` integer NOT NULL,
	`started_at` integer NOT NULL,
	`build` text NOT NULL,
	`count` integer NOT NULL,
	`slots` text NOT NULL,
	`cold` text
);
--> statement-breakpoint
CREATE TABLE `version_chunks` (
	`project_id` integer NOT NULL,
	`chunk` integer NOT NULL,
	`build` text NOT NULL,
	`is_built` integer NOT NULL,
	`count` integer NOT NULL,
	`versions` text NOT NULL,
	`cold` text,
	PRIMARY KEY(`project_id`, `chunk`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `version_columns` (
	`project_id` integer NOT NULL,
	`chunk` integer NOT NULL,
	`name` text NOT NULL,
	`data` text NOT NULL,
	PRIMARY KEY(`project_id`, `chunk`, `name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `segments_range` ON `segments` (`project_id`,`event_id`,`since`);--> statement-breakpoint
DROP INDEX `events_actors`;--> statement-breakpoint
-- An event that is stored after the segment of its range, and is not in it.
CREATE TRIGGER `events_insert` AFTER INSERT ON `events`
BEGIN
  INSERT INTO `late_events` (`segment_id`, `timestamp`, `uuid`)
  SELECT `id`, new.`timestamp`, new.`uuid` FROM `segments`
  WHERE `id` = (
    SELECT `id` FROM `segments`
    WHERE `project_id` = new.`project_id` AND `event_id` = new.`event_id` AND `since` <= new.`timestamp`
    ORDER BY `since` DESC LIMIT 1
  ) AND `until` > new.`timestamp`;
END;
--> statement-breakpoint
-- A segment that has a removed event goes with it.
CREATE TRIGGER `events_delete` AFTER DELETE ON `events`
BEGIN
  DELETE FROM `segments`
  WHERE `id` = (
    SELECT `id` FROM `segments`
    WHERE `project_id` = old.`project_id` AND `event_id` = old.`event_id` AND `since` <= old.`timestamp`
    ORDER BY `since` DESC LIMIT 1
  ) AND `until` > old.`timestamp`;
END;
--> statement-breakpoint
-- Events never change. Should one be changed by hand, the segments of its old and of its new place go.
CREATE TRIGGER `events_update` AFTER UPDATE ON `events`
BEGIN
  DELETE FROM `segments`
  WHERE (`project_id` = old.`project_id` AND `event_id` = old.`event_id` AND `since` <= old.`timestamp` AND `until` > old.`timestamp`)
    OR (`project_id` = new.`project_id` AND `event_id` = new.`event_id` AND `since` <= new.`timestamp` AND `until` > new.`timestamp`);
END;
--> statement-breakpoint
CREATE TRIGGER `segments_delete` AFTER DELETE ON `segments`
BEGIN
  DELETE FROM `segment_columns` WHERE `segment_id` = old.`id`;
  DELETE FROM `late_events` WHERE `segment_id` = old.`id`;
END;
--> statement-breakpoint
-- Identities whose person changes after their chunk has been built.
CREATE TRIGGER `distinct_ids_update` AFTER UPDATE OF `person_id` ON `distinct_ids` WHEN old.`person_id` IS NOT new.`person_id`
BEGIN
  INSERT OR IGNORE INTO `moved_identities` (`project_id`, `key`)
  SELECT `project_id`, new.`key` FROM `actor_chunks` WHERE `project_id` = new.`project_id` AND `chunk` = new.`key` >> 12;
END;
--> statement-breakpoint
CREATE TRIGGER `distinct_ids_delete` AFTER DELETE ON `distinct_ids`
BEGIN
  INSERT OR IGNORE INTO `moved_identities` (`project_id`, `key`)
  SELECT `project_id`, old.`key` FROM `actor_chunks` WHERE `project_id` = old.`project_id` AND `chunk` = old.`key` >> 12;
END;
--> statement-breakpoint
-- A chunk that has a removed version goes with it.
CREATE TRIGGER `person_versions_delete` AFTER DELETE ON `person_versions`
BEGIN
  DELETE FROM `version_chunks` WHERE `project_id` = old.`project_id` AND `chunk` = old.`id` >> 36;
END;
--> statement-breakpoint
-- Versions never change. Should one be changed by hand, its chunk goes.
CREATE TRIGGER `person_versions_update` AFTER UPDATE ON `person_versions`
BEGIN
  DELETE FROM `version_chunks` WHERE `project_id` = old.`project_id` AND `chunk` = old.`id` >> 36;
END;
--> statement-breakpoint
CREATE TRIGGER `version_chunks_delete` AFTER DELETE ON `version_chunks`
BEGIN
  DELETE FROM `version_columns` WHERE `project_id` = old.`project_id` AND `chunk` = old.`chunk`;
END;
