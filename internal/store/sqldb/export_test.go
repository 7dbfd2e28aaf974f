package sqldb

// SelectSession is the statement that reads one session.
const SelectSession = selectSession

// RecordFields begins the statements that read records.
const RecordFields = recordFields
