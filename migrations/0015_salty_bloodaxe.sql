DROP INDEX `erasures_project`;--> statement-breakpoint
CREATE INDEX `erasures_project` ON `erasures` (`project_id`);