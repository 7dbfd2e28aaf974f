package inspect

import (
	"errors"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
)

const (
	privateAccess    = 0x130180 // delete, read the list, wait, read and write attributes
	privateOptions   = 0x200021 // a directory, synchronous, a link itself
	privateLookup    = 0x1040   // any case, no reparse point on the way
	deleteByHandle   = 0x13     // delete at once, whatever the attributes
	dispositionBytes = 4
)

var makePrivate = createPrivateDirectory

func createPrivateDirectory(path string) (err error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return errorOf(err)
	}
	parentPath, name, err := splitPrivate(abs)
	if err != nil {
		return err
	}
	token, err := processToken()
	if err != nil {
		return err
	}
	parent, parentID, err := openPrivateParent(parentPath)
	if err != nil {
		return err
	}
	defer parent.close()
	made, err := parent.makePrivate(name, token)
	if err != nil {
		return err
	}
	defer made.close()
	if err := made.checkPlace(parentPath, name, parentID); err != nil {
		return made.undo(err)
	}
	return nil
}

func openPrivateParent(path string) (securityHandle, fileID, error) {
	h, err := openSecurity(path, fileReadAttributes|fileAddSubdirectory|fileTraverse|windows.SYNCHRONIZE, windows.FILE_FLAG_OPEN_REPARSE_POINT)
	if err != nil {
		return h, fileID{}, err
	}
	id, err := h.plainDirectory()
	if err != nil {
		h.close()
		return h, fileID{}, err
	}
	return h, id, nil
}

// plainDirectory demands a local directory that is no link, and tells it apart.
func (h securityHandle) plainDirectory() (fileID, error) {
	tag, err := h.attributes()
	switch {
	case err != nil:
		return fileID{}, err
	case tag.isReparse():
		return fileID{}, refusal(CodeLoop, "the directory is a reparse point")
	case !tag.isDir():
		return fileID{}, refusal(CodeNotDir, "not a directory")
	case !h.isLocal():
		return fileID{}, refusal(CodeUnsupported, "the directory is not on a local volume")
	}
	return h.identity()
}

// makePrivate makes an entry of the open parent together with its descriptor.
func (h securityHandle) makePrivate(name string, token tokenFacts) (securityHandle, error) {
	descriptor, err := privateDescriptor(token.user, token.container)
	if err != nil {
		return securityHandle{}, refusal(CodeUnverified, err.Error())
	}
	aligned := make([]uint64, (len(descriptor)+7)/8)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&aligned[0])), len(descriptor)), descriptor)
	text, err := windows.NewNTUnicodeString(name)
	if err != nil {
		return securityHandle{}, refusal(CodeInvalid, "the name of the private directory is not valid")
	}
	attributes := windows.OBJECT_ATTRIBUTES{
		RootDirectory:      h.Handle,
		ObjectName:         text,
		Attributes:         privateLookup,
		SecurityDescriptor: (*windows.SECURITY_DESCRIPTOR)(unsafe.Pointer(&aligned[0])),
	}
	attributes.Length = uint32(unsafe.Sizeof(attributes))
	var made windows.Handle
	var status windows.IO_STATUS_BLOCK
	err = windows.NtCreateFile(&made, privateAccess, &attributes, &status, nil, windows.FILE_ATTRIBUTE_NORMAL,
		shareAll, windows.FILE_CREATE, privateOptions, 0, 0)
	if err != nil {
		return securityHandle{}, winErr("NtCreateFile", err, winCodes)
	}
	return securityHandle{made}, nil
}

// checkPlace validates the new directory by its handle, and that the names of
// parent and directory still lead to the same two objects.
func (h securityHandle) checkPlace(parentPath, name string, parentID fileID) error {
	facts, err := h.facts()
	if err != nil {
		return err
	}
	if err := checkPrivate(&facts); err != nil {
		return err
	}
	id, err := h.plainDirectory()
	if err != nil {
		return err
	}
	for _, at := range []struct {
		path string
		id   fileID
	}{{parentPath, parentID}, {parentPath + name, id}} {
		again, err := openSecurity(at.path, fileReadAttributes, windows.FILE_FLAG_OPEN_REPARSE_POINT)
		if err != nil {
			return err
		}
		now, err := again.plainDirectory()
		again.close()
		if err != nil {
			return err
		}
		if now != at.id {
			return refusal(CodeIO, "the path names another directory than the one that was made")
		}
	}
	return nil
}

// undo removes the new directory through its handle: whatever has taken its name
// meanwhile stays.
func (h securityHandle) undo(cause error) error {
	flags := uint32(deleteByHandle)
	err := windows.SetFileInformationByHandle(h.Handle, windows.FileDispositionInfoEx, (*byte)(unsafe.Pointer(&flags)), dispositionBytes)
	if err == nil {
		return cause
	}
	failed := *errorOf(cause)
	failed.Message = Bound(failed.Message + "; and the new directory could not be removed: " + winErr("SetFileInformationByHandle", err, identityCodes).Error())
	failed.cause = errors.Join(cause, err)
	return &failed
}
