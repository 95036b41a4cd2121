package config

import "syscall"

// syncDir does nothing: Windows offers no flush of a folder, and NTFS journals its names.
func syncDir(string) error { return nil }

// identify returns the volume's serial number and the file's index in it, which are what Windows has for a device
// and an inode.
func identify(path string) (device, inode uint64, err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return 0, 0, err
	}
	// FILE_FLAG_BACKUP_SEMANTICS lets a folder be opened; no access is asked for.
	handle, err := syscall.CreateFile(name, 0, syscall.FILE_SHARE_READ|syscall.FILE_SHARE_WRITE|syscall.FILE_SHARE_DELETE,
		nil, syscall.OPEN_EXISTING, syscall.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return 0, 0, err
	}
	defer syscall.CloseHandle(handle)
	var info syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(handle, &info); err != nil {
		return 0, 0, err
	}
	return uint64(info.VolumeSerialNumber), uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow), nil
}
