ALTER TABLE `projects` ADD `settings` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
-- Existing projects keep recording visits.
UPDATE `projects` SET `settings` = '{"recording":true}';
