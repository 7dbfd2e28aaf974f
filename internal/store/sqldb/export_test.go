package sqldb

// SelectSession is the statement that reads one session.
const SelectSession = selectSession
