package dev.ebb.host.store.key;

import dev.ebb.host.group.ObjectGroup;

/**
 * The objects of one object group of a model.
 *
 * @param kind which chunks of a prompt it needs; all if that is not known
 * @param use its objects; named after the model
 */
public record GroupObjects(int group, ObjectGroup kind, UseStats use) {}
