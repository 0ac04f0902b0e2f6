CREATE TABLE `event_counts` (
	`project_id` integer NOT NULL,
	`event_id` integer NOT NULL,
	`slot` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`project_id`, `event_id`, `slot`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `event_counts` (`project_id`, `event_id`, `slot`, `count`)
SELECT `project_id`, `event_id`, (`timestamp` - ((`timestamp` % 900000) + 900000) % 900000) / 900000, count(*) FROM `events` GROUP BY 1, 2, 3;
