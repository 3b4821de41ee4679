/** Routes and documents for the nodes and values of a cluster. */
package dev.ebb.host.admin.cluster;
