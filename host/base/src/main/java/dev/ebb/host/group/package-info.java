/** The object groups of hybrid models: which objects of a chunk a prompt needs. */
package dev.ebb.host.group;
