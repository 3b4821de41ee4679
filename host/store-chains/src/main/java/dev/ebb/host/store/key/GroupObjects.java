package dev.ebb.host.store.key;

import dev.ebb.host.group.ObjectGroup;

/** The objects of one object group of a model; the use is named after the model. */
public record GroupObjects(int group, ObjectGroup kind, UseStats use) {}
