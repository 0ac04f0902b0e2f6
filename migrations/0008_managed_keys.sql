ALTER TABLE `api_keys` ADD `created_by` integer REFERENCES users(id);--> statement-breakpoint
ALTER TABLE `invitations` ADD `created_by` integer REFERENCES users(id);--> statement-breakpoint
ALTER TABLE `invitations` ADD `key_expires_at` integer;--> statement-breakpoint
ALTER TABLE `invitations` ADD `withdrawn_at` integer;