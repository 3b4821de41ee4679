package dev.ebb.host.resp;

import dev.ebb.host.resp.session.Replies;
import dev.ebb.host.resp.session.Session;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.StoreConnection;

/** The commands of a connection, and what they use. */
abstract class SessionCommands {

  final Connections connections;
  final ObjectStore store;
  final Session session;
  final StoreConnection connection;
  final Replies replies;
  final RemoteAccess remote;

  SessionCommands(Commands on) {
    connections = on.connections;
    store = connections.store;
    session = on.session;
    connection = session.store;
    replies = on.replies;
    remote = on.remote;
  }
}
