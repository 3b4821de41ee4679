package dev.ebb.dist;

import java.util.List;

/**
 * The addresses of a node.
 *
 * @param prefix what starts a command in the node's network; empty for that of the tests
 * @param host for other nodes
 * @param clientHost for clients and operators
 */
record NodeAddress(
    List<String> prefix,
    String host,
    int port,
    int transferPort,
    String clientHost,
    int respPort,
    int adminPort) {

  String member() {
    return host + ":" + port;
  }
}
