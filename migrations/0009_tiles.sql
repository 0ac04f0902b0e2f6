ALTER TABLE `dashboard_tiles` ADD `position` integer;--> statement-breakpoint
ALTER TABLE `dashboard_tiles` ADD `width` text DEFAULT 'half' NOT NULL;