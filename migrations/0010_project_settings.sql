ALTER TABLE `projects` ADD `settings` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
-- Projects of before record visits as they did.
UPDATE `projects` SET `settings` = '{"recording":true}';
